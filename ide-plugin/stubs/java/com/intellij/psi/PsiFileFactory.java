package com.intellij.psi;

public abstract class PsiFileFactory {
    public static final com.intellij.openapi.util.Key<com.intellij.psi.PsiFile> ORIGINAL_FILE = null;
    public abstract com.intellij.psi.PsiFile createFileFromText(java.lang.String a, com.intellij.lang.Language b, java.lang.CharSequence c, boolean d, boolean e, boolean f, com.intellij.openapi.vfs.VirtualFile g) throws com.intellij.util.IncorrectOperationException;
    public static com.intellij.psi.PsiFileFactory getInstance(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    protected PsiFileFactory() { throw new AssertionError(); }
}
