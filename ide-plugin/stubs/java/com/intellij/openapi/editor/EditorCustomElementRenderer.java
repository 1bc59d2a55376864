package com.intellij.openapi.editor;

public interface EditorCustomElementRenderer {
    default int calcHeightInPixels(com.intellij.openapi.editor.Inlay a) { throw new AssertionError(); }
    default int calcWidthInPixels(com.intellij.openapi.editor.Inlay a) { throw new AssertionError(); }
    default void paint(com.intellij.openapi.editor.Inlay a, java.awt.Graphics b, java.awt.Rectangle c, com.intellij.openapi.editor.markup.TextAttributes d) { throw new AssertionError(); }
}
