package com.intellij.openapi.editor.markup;

public class TextAttributes {
    protected TextAttributes() { throw new AssertionError(); }
}
