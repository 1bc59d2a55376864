package com.intellij.diff.requests;

public class SimpleDiffRequest extends com.intellij.diff.requests.DiffRequest {
    public SimpleDiffRequest(java.lang.String a, com.intellij.diff.contents.DiffContent b, com.intellij.diff.contents.DiffContent c, java.lang.String d, java.lang.String e) { throw new AssertionError(); }
}
