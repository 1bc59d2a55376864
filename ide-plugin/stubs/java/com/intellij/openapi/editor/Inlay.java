package com.intellij.openapi.editor;

public interface Inlay<T extends com.intellij.openapi.editor.EditorCustomElementRenderer> extends com.intellij.openapi.Disposable, com.intellij.openapi.util.UserDataHolder {
    com.intellij.openapi.editor.Editor getEditor();
    boolean isValid();
}
