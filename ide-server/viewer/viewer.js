// What the dashboard needs of CodeMirror, under one roof.
export { EditorState, EditorSelection, StateEffect, StateField, Compartment } from "@codemirror/state";
export {
  Decoration, EditorView, WidgetType, drawSelection, highlightActiveLine, keymap, lineNumbers,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { StreamLanguage, HighlightStyle, syntaxHighlighting, bracketMatching, foldGutter } from "@codemirror/language";
export { search, searchKeymap, highlightSelectionMatches } from "@codemirror/search";
export { setDiagnostics, lintGutter } from "@codemirror/lint";
export { MergeView, acceptChunk, rejectChunk, getChunks, goToNextChunk, goToPreviousChunk } from "@codemirror/merge";
export { tags } from "@lezer/highlight";

import { StreamLanguage } from "@codemirror/language";
import { go } from "@codemirror/lang-go";
import { java } from "@codemirror/lang-java";
import { javascript } from "@codemirror/lang-javascript";
import { php } from "@codemirror/lang-php";
import { python } from "@codemirror/lang-python";
import { rust } from "@codemirror/lang-rust";
import { kotlin } from "@codemirror/legacy-modes/mode/clike";

const BY_ENDING = {
  go: go,
  java: java,
  js: javascript, mjs: javascript, cjs: javascript,
  jsx: () => javascript({ jsx: true }),
  ts: () => javascript({ typescript: true }), mts: () => javascript({ typescript: true }),
  cts: () => javascript({ typescript: true }),
  tsx: () => javascript({ typescript: true, jsx: true }),
  kt: () => StreamLanguage.define(kotlin), kts: () => StreamLanguage.define(kotlin),
  php: php,
  py: python, pyi: python,
  rs: rust,
};

/** The language of a file, as an extension; nothing for others. */
export function languageOf(path) {
  const language = BY_ENDING[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
  return language ? language() : [];
}
