package com.intellij.ui.content;

public interface ContentManager extends com.intellij.openapi.Disposable {
    void addContent(com.intellij.ui.content.Content a);
    void addContent(com.intellij.ui.content.Content a, int b);
    com.intellij.ui.content.Content findContent(java.lang.String a);
    com.intellij.ui.content.ContentFactory getFactory();
    void setSelectedContent(com.intellij.ui.content.Content a);
}
