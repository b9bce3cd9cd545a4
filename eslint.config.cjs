// Which features the styles and scripts may use without a fallback: those of the browsers in docs/browsers.md, of which
// Safari 16.4 is the oldest. The tools come from npm, so that CI names their folder in NODE_PATH.
const css = require("@eslint/css").default;
const compat = require("eslint-plugin-compat");

// Later than 2022 in some browser, but known to Safari 16.4, Firefox ESR, and Chrome and Edge of two years.
const KNOWN = {
  allowAtRules: ["container", "page"],
  allowFunctions: ["color-mix"],
  allowProperties: ["accent-color", "container", "outline", "page"],
  allowSelectors: ["has", "marker", "selection"],
};
// Where it is unknown, this happens instead.
const WITH_FALLBACK = {
  allowMediaConditions: ["scripting"], // the first rows of a long table are shown until a script draws those in sight
  allowProperties: [
    "backdrop-filter", // the prefix is beside it, or there is no blur
    "contain-intrinsic-block-size", // all is laid out, see "content-visibility"
    "contain-intrinsic-size",
    "content-visibility", // all is laid out: slower at first, and right
    "counter-set", // blocks of lines contain nothing there, so the counter goes on
    "overflow-anchor", // there is no anchoring of the browser's to switch off
    "scrollbar-width", // the usual scroll bar
    "text-wrap", // lines of unequal length
    "user-select", // the prefix is beside it
    "zoom", // nothing is copied for paper there, see web/frame.js
  ],
};
const ALLOWED = {
  ...KNOWN,
  ...WITH_FALLBACK,
  allowProperties: [...KNOWN.allowProperties, ...WITH_FALLBACK.allowProperties],
};
// Methods that eslint-plugin-compat does not know; one that is called by "?.()" has a fallback.
const NEWER_METHODS = "checkVisibility|groupBy|hidePopover|moveBefore|setHTMLUnsafe|showPopover|startViewTransition|togglePopover|withResolvers";

module.exports = [
  {
    files: ["templates/**/*.css", "viewer/templates/**/*.css"],
    plugins: { css },
    language: "css/css",
    languageOptions: { tolerant: true },
    rules: { "css/use-baseline": ["error", { available: 2022, ...ALLOWED }] },
  },
  {
    files: ["templates/**/*.js", "viewer/templates/**/*.js"],
    ...compat.configs["flat/recommended"],
    languageOptions: { ecmaVersion: 2022, sourceType: "script" },
    rules: {
      "compat/compat": "error",
      "no-restricted-syntax": ["error", {
        selector: `CallExpression[optional=false] > MemberExpression.callee[property.name=/^(${NEWER_METHODS})$/]`,
        message: "Not in each browser of docs/browsers.md: call it by ?.() and know what happens without it.",
      }],
    },
    settings: {
      browsers: ["last 2 years and chrome > 100", "last 2 years and edge > 100", "firefox esr", "safari >= 16.4", "ios_saf >= 16.4"],
      polyfills: ["requestIdleCallback"], // a timer stands for it
    },
  },
];
