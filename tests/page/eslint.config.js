import js from "@eslint/js";
import globals from "globals";

export default [
    js.configs.recommended,
    {
        files: ["www/js/**/*.js", "base-map.mjs"],
        languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: { ...globals.browser } },
        linterOptions: { reportUnusedDisableDirectives: "error" },
        rules: {
            "arrow-body-style": "error",
            "consistent-return": "off",
            "curly": ["error", "multi-line"],
            "eqeqeq": "error",
            "max-lines": ["error", 400],
            "max-lines-per-function": ["error", 50],
            "no-implied-eval": "error",
            "no-shadow": "error",
            "no-unused-vars": ["error", { "args": "after-used", "argsIgnorePattern": "^_" }],
            "no-var": "error",
            "object-shorthand": "error",
            "prefer-const": "error",
            "prefer-template": "error",
        },
    },
    { files: ["base-map.mjs"], languageOptions: { globals: { ...globals.node } } },
];
