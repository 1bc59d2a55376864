package com.intellij.refactoring.rename;

public abstract class RenamePsiElementProcessor {
    public void findExistingNameConflicts(com.intellij.psi.PsiElement a, java.lang.String b, com.intellij.util.containers.MultiMap<com.intellij.psi.PsiElement, java.lang.String> c, java.util.Map<com.intellij.psi.PsiElement, java.lang.String> d) { throw new AssertionError(); }
    public static com.intellij.refactoring.rename.RenamePsiElementProcessor forElement(com.intellij.psi.PsiElement a) { throw new AssertionError(); }
    public void prepareRenaming(com.intellij.psi.PsiElement a, java.lang.String b, java.util.Map<com.intellij.psi.PsiElement, java.lang.String> c) { throw new AssertionError(); }
    protected RenamePsiElementProcessor() { throw new AssertionError(); }
}
