package com.intellij.notification;

public enum NotificationType {
    ERROR, INFORMATION, WARNING;
}
