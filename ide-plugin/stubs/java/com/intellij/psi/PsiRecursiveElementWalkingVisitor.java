package com.intellij.psi;

public abstract class PsiRecursiveElementWalkingVisitor extends com.intellij.psi.PsiElementVisitor {
    protected PsiRecursiveElementWalkingVisitor() { throw new AssertionError(); }
    public void visitElement(com.intellij.psi.PsiElement a) { throw new AssertionError(); }
}
