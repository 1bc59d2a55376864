package com.intellij.codeInsight.lookup;

public abstract class LookupElement implements com.intellij.openapi.util.UserDataHolder {
    public abstract java.lang.String getLookupString();
    public com.intellij.psi.PsiElement getPsiElement() { throw new AssertionError(); }
    protected LookupElement() { throw new AssertionError(); }
}
