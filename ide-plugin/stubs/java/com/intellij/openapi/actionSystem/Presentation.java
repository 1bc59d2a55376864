package com.intellij.openapi.actionSystem;

public final class Presentation {
    public void setEnabled(boolean a) { throw new AssertionError(); }
    protected Presentation() { throw new AssertionError(); }
}
