package com.intellij.psi;

public class ResolveState {
    protected ResolveState() { throw new AssertionError(); }
}
