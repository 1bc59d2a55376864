package com.intellij.psi;

public abstract class PsiDocumentManager {
    public abstract void commitAllDocuments();
    public abstract void commitDocument(com.intellij.openapi.editor.Document a);
    public static com.intellij.psi.PsiDocumentManager getInstance(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    protected PsiDocumentManager() { throw new AssertionError(); }
}
