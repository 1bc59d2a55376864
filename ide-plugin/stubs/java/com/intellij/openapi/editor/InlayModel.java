package com.intellij.openapi.editor;

public interface InlayModel {
    <T extends com.intellij.openapi.editor.EditorCustomElementRenderer> com.intellij.openapi.editor.Inlay<T> addBlockElement(int a, boolean b, boolean c, int d, T e);
}
