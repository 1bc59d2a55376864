package com.intellij.openapi.editor.event;

public class SelectionEvent {
    public com.intellij.openapi.editor.Editor getEditor() { throw new AssertionError(); }
    protected SelectionEvent() { throw new AssertionError(); }
}
