package com.intellij.openapi.editor;

public interface ScrollingModel {
    void scrollToCaret(com.intellij.openapi.editor.ScrollType a);
}
