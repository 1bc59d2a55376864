package com.intellij.psi;

public interface PsiFile extends com.intellij.psi.PsiFileSystemItem {
    com.intellij.psi.PsiFile getOriginalFile();
    com.intellij.psi.FileViewProvider getViewProvider();
    com.intellij.openapi.vfs.VirtualFile getVirtualFile();
}
