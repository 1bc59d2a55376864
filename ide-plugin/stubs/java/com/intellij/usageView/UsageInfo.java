package com.intellij.usageView;

public class UsageInfo {
    public com.intellij.psi.PsiElement getElement() { throw new AssertionError(); }
    public com.intellij.openapi.util.ProperTextRange getRangeInElement() { throw new AssertionError(); }
    protected UsageInfo() { throw new AssertionError(); }
}
