package com.intellij.openapi.editor.event;

public class CaretEvent {
    public com.intellij.openapi.editor.Editor getEditor() { throw new AssertionError(); }
    protected CaretEvent() { throw new AssertionError(); }
}
