package com.intellij.openapi.editor.event;

public interface SelectionListener extends java.util.EventListener {
    default void selectionChanged(com.intellij.openapi.editor.event.SelectionEvent a) { throw new AssertionError(); }
}
