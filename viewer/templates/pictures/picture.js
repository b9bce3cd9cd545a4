// Zooms a picture at the pointer; moves it by dragging. Without scripts it fits the window.
(() => {
"use strict";
const { viewer } = globalThis, picture = document.querySelector(".stage img"), stage = picture?.closest(".stage");
if (!picture) return;
let fitted = 0; // its width in CSS pixels at zoom 1
const width = () => picture.getBoundingClientRect().width;
const { zoom } = viewer;
Object.assign(viewer, {
  least: .05, most: 32,
  stepped: sign => viewer.scale * 1.25 ** sign,
  percent: () => Math.round(100 * viewer.scale * (picture.naturalWidth ? fitted / picture.naturalWidth : 1)),
  zoom: n => {
    if (viewer.scale === 1) fitted = width();
    document.documentElement.style.setProperty("--fit", fitted + "px");
    zoom(n);
  },
});
const other = () => viewer.scale === 1 && picture.naturalWidth ? picture.naturalWidth / width() : 1;
const zoomAt = (e, n) => {
  const box = picture.getBoundingClientRect(), x = (e.clientX - box.left) / box.width, y = (e.clientY - box.top) / box.height;
  viewer.zoom(n);
  const now = picture.getBoundingClientRect();
  stage.scrollBy({ left: now.left + x * now.width - e.clientX, top: now.top + y * now.height - e.clientY, behavior: "instant" });
};
const LEAST = 256; // pixels: a smaller picture, such as an icon, is enlarged by a whole number
const ready = () => {
  if (picture.closest("[data-unsized]")) return viewer.zoom(1);
  const times = Math.floor(LEAST / Math.max(picture.naturalWidth, picture.naturalHeight));
  if (times > 1) {
    picture.classList.add("tiny");
    picture.style.setProperty("--whole", `${times * picture.naturalWidth}px`);
  }
  const facts = document.querySelector(".what p");
  if (picture === viewer.carrier && picture.naturalWidth) facts.textContent += ` · ${picture.naturalWidth} × ${picture.naturalHeight} pixels`;
  viewer.zoom(1);
};
if (picture.complete) ready(); else picture.addEventListener("load", ready);
viewer.actions.f = () => viewer.zoom(other());
picture.draggable = false;
stage.addEventListener("dblclick", e => zoomAt(e, other()));
stage.addEventListener("wheel", e => { // a pinch on a touch pad is a wheel with ctrlKey
  if (!e.ctrlKey) return;
  e.preventDefault();
  zoomAt(e, viewer.scale * Math.exp(-e.deltaY / 200));
}, { passive: false });
stage.addEventListener("pointerdown", e => {
  if (e.pointerType !== "mouse" || e.button) return;
  stage.setPointerCapture(e.pointerId);
  stage.classList.add("moved");
});
stage.addEventListener("pointermove", e => {
  if (stage.matches(".moved")) stage.scrollBy({ left: -e.movementX, top: -e.movementY, behavior: "instant" });
});
stage.addEventListener("lostpointercapture", () => stage.classList.remove("moved"));
})();
