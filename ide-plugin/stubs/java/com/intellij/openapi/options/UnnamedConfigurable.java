package com.intellij.openapi.options;

public interface UnnamedConfigurable {
    void apply() throws com.intellij.openapi.options.ConfigurationException;
    javax.swing.JComponent createComponent();
    default void disposeUIResources() { throw new AssertionError(); }
    boolean isModified();
    default void reset() { throw new AssertionError(); }
}
