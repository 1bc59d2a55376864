package com.intellij.openapi.util;

public class ProperTextRange extends com.intellij.openapi.util.TextRange {
    protected ProperTextRange() { super((int) 0, (int) 0); throw new AssertionError(); }
}
