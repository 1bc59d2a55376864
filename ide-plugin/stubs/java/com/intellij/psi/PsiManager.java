package com.intellij.psi;

public abstract class PsiManager implements com.intellij.openapi.util.UserDataHolder {
    public abstract boolean areElementsEquivalent(com.intellij.psi.PsiElement a, com.intellij.psi.PsiElement b);
    public abstract com.intellij.psi.PsiFile findFile(com.intellij.openapi.vfs.VirtualFile a);
    public static com.intellij.psi.PsiManager getInstance(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    protected PsiManager() { throw new AssertionError(); }
}
