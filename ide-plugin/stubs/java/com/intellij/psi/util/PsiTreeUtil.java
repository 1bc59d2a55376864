package com.intellij.psi.util;

public class PsiTreeUtil {
    public static <T extends com.intellij.psi.PsiElement> T getParentOfType(com.intellij.psi.PsiElement a, java.lang.Class<T> b) { throw new AssertionError(); }
    protected PsiTreeUtil() { throw new AssertionError(); }
}
