package com.intellij.ide.util;

public abstract class PropertiesComponent {
    public static com.intellij.ide.util.PropertiesComponent getInstance() { throw new AssertionError(); }
    public int getInt(java.lang.String a, int b) { throw new AssertionError(); }
    public abstract void setValue(java.lang.String a, int b, int c);
    protected PropertiesComponent() { throw new AssertionError(); }
}
