package com.intellij.openapi.util;

public class TextRange {
    public TextRange(int a, int b) { throw new AssertionError(); }
    public boolean contains(com.intellij.openapi.util.TextRange a) { throw new AssertionError(); }
    public final int getEndOffset() { throw new AssertionError(); }
    public final int getStartOffset() { throw new AssertionError(); }
    public com.intellij.openapi.util.TextRange shiftRight(int a) { throw new AssertionError(); }
}
