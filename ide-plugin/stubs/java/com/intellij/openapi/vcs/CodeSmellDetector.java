package com.intellij.openapi.vcs;

public abstract class CodeSmellDetector {
    public abstract java.util.List<com.intellij.codeInsight.CodeSmellInfo> findCodeSmells(java.util.List<com.intellij.openapi.vfs.VirtualFile> a) throws com.intellij.openapi.progress.ProcessCanceledException;
    public static com.intellij.openapi.vcs.CodeSmellDetector getInstance(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    protected CodeSmellDetector() { throw new AssertionError(); }
}
