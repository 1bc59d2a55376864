package com.intellij.ui.content;

public interface ContentFactory {
    com.intellij.ui.content.Content createContent(javax.swing.JComponent a, java.lang.String b, boolean c);
}
