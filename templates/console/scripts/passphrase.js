// Passwords: typed where someone chose to, shown when asked, and suggested

const WORDS = (
  "acorn amber anchor apple april arrow aspen autumn badge baker balcony bamboo banjo barley basil basket " +
  "beach beacon beaver berry birch biscuit blossom bonfire bottle breeze brick bridge bronze brook bucket butter " +
  "button cabin cactus camel candle canoe canyon carbon carpet castle cedar cello chalk cherry chestnut cider " +
  "cinnamon circle citrus clover coast cobalt coconut comet compass copper coral cotton crane crayon cricket crystal " +
  "daisy dolphin donkey dragon drum dune eagle echo elm ember engine falcon feather fern fiddle field " +
  "finch flame flute forest fossil fountain fox galaxy garden garlic garnet gecko ginger glacier goose grape " +
  "granite guitar hammer harbor harvest hazel hedge heron hickory honey horizon iceberg indigo island ivory jacket " +
  "jasmine jigsaw juniper kayak kettle kitten kiwi ladder lagoon lantern lark laurel lavender lemon lentil lilac " +
  "linen lizard lobster lotus magnet mango maple marble marigold meadow melon meteor mint mirror mitten moose " +
  "mosaic muffin nectar needle nickel nutmeg oak oasis oboe ocean olive onyx opal orbit orchard orchid " +
  "otter owl oyster paddle panda papaya paper parrot peach pebble pecan pelican pepper piano pigeon pilot " +
  "pine planet plum pocket pollen pond poplar poppy prairie pumpkin quartz quill rabbit radish rainbow raven " +
  "ribbon river robin rocket rose ruby saddle saffron sail salmon sandal sapphire satin seal shadow shell " +
  "silver sketch sparrow spice spruce squash starling stone storm summer sunset swan teapot thistle thunder tiger " +
  "timber topaz torch tulip tundra turtle umbrella valley vanilla velvet violet violin walnut walrus whale wheat " +
  "willow window winter wolf yarrow yellow yogurt zebra zephyr zinnia bobbin candy cosmos dahlia easel fjord"
).split(" ");

function passphrase() { // as in tulip-harbor-42
  const [first, second, number] = crypto.getRandomValues(new Uint32Array(3));
  return `${WORDS[first % WORDS.length]}-${WORDS[second % WORDS.length]}-${10 + number % 90}`;
}

function showPassword(button) {
  const field = $("[name=password]", button.closest(".maker"));
  field.type = "text";
  button.textContent = "Hide";
  button.ariaPressed = "true";
}

function hidePassword(button) {
  const field = $("[name=password]", button.closest(".maker"));
  field.type = "password";
  button.textContent = "Show";
  button.ariaPressed = "false";
}

function isChosen(field) { // by opening its form or its pill, or by the box of a link's password
  const box = field.form.elements.withPassword;
  if (!box) return !field.closest("details:not([open])");
  return box.checked || field === document.activeElement || Boolean(field.closest(".pill[open]"));
}

function enablePasswords() { // a browser that has saved the login's password fills it in where it can
  for (const field of all("form input[type=password], .maker [name=password]")) {
    field.disabled = !isChosen(field);
    const box = field.form.elements.withPassword;
    if (box) field.required = box.checked;
  }
}

enablePasswords();
addEventListener("pageshow", enablePasswords); // a browser that goes back ticks the boxes as they were
addEventListener("toggle", enablePasswords, true);

addEventListener("change", event => {
  const box = event.target;
  if (box.name !== "withPassword") return;
  const field = box.form.elements.password;
  field.value = "";
  enablePasswords();
  if (box.checked) field.focus();
});

addEventListener("input", event => { // typed by someone, and not filled in by the browser
  const field = event.target;
  const box = field.name === "password" && field.form?.elements.withPassword;
  if (!box || field !== document.activeElement) return;
  box.checked = Boolean(field.value);
  enablePasswords();
}, true); // before the sentence of the terms is said anew

addEventListener("click", event => {
  const look = event.target.closest("[data-look]");
  if (look?.ariaPressed === "true") hidePassword(look);
  else if (look) showPassword(look);
  const maker = event.target.closest("[data-make-password]");
  if (!maker) return;
  const field = $("[name=password]", maker.closest(".maker"));
  field.form.elements.withPassword.checked = true;
  enablePasswords();
  field.value = passphrase();
  field.dispatchEvent(new Event("input", { bubbles: true }));
  showPassword($("[data-look]", maker.closest(".maker")));
  field.focus();
});
