package com.intellij.lang.annotation;

public class HighlightSeverity implements java.lang.Comparable<com.intellij.lang.annotation.HighlightSeverity> {
    public static final com.intellij.lang.annotation.HighlightSeverity ERROR = null;
    public static final com.intellij.lang.annotation.HighlightSeverity WARNING = null;
    public static final com.intellij.lang.annotation.HighlightSeverity WEAK_WARNING = null;
    public int compareTo(com.intellij.lang.annotation.HighlightSeverity a) { throw new AssertionError(); }
    protected HighlightSeverity() { throw new AssertionError(); }
}
