package com.intellij.util;

public class IncorrectOperationException extends java.lang.RuntimeException {
    protected IncorrectOperationException() { throw new AssertionError(); }
}
