package com.intellij.openapi.fileEditor;

public class OpenFileDescriptor implements java.lang.Comparable<com.intellij.openapi.fileEditor.OpenFileDescriptor> {
    public OpenFileDescriptor(com.intellij.openapi.project.Project a, com.intellij.openapi.vfs.VirtualFile b) { throw new AssertionError(); }
    public OpenFileDescriptor(com.intellij.openapi.project.Project a, com.intellij.openapi.vfs.VirtualFile b, int c, int d) { throw new AssertionError(); }
    public int compareTo(com.intellij.openapi.fileEditor.OpenFileDescriptor a) { throw new AssertionError(); }
}
