package com.intellij.psi;

public abstract class PsiElementVisitor {
    protected PsiElementVisitor() { throw new AssertionError(); }
}
