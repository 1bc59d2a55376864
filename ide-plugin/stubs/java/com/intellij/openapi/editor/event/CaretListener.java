package com.intellij.openapi.editor.event;

public interface CaretListener extends java.util.EventListener {
    default void caretPositionChanged(com.intellij.openapi.editor.event.CaretEvent a) { throw new AssertionError(); }
}
