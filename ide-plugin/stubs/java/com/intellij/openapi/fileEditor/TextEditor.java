package com.intellij.openapi.fileEditor;

public interface TextEditor extends com.intellij.openapi.fileEditor.FileEditor {
    com.intellij.openapi.editor.Editor getEditor();
}
