package com.intellij.psi;

public final class PsiInvalidElementAccessException extends java.lang.RuntimeException {
    protected PsiInvalidElementAccessException() { throw new AssertionError(); }
}
