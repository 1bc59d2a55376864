package com.intellij.openapi.editor;

public interface Document extends com.intellij.openapi.util.UserDataHolder {
    java.lang.CharSequence getImmutableCharSequence();
    int getLineCount();
    long getModificationStamp();
    default java.lang.String getText() { throw new AssertionError(); }
    boolean isWritable();
    void replaceString(int a, int b, java.lang.CharSequence c);
}
