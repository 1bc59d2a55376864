package dev.ideindex.plugin.ide;

import com.intellij.ide.util.PropertiesComponent;

/** What the plugin itself remembers, so that it can be changed while the server does not run. All else is the server's. */
final class Preferences {
    private static final String PORT = "dev.ideindex.plugin.port";
    private static final int LAST_PORT = 65_535;

    private Preferences() {}

    /** The port that a person chose; null for the product's own. */
    static Integer port() {
        int port = PropertiesComponent.getInstance().getInt(PORT, -1);
        return port < 0 ? null : port;
    }

    static void setPort(Integer port) {
        PropertiesComponent.getInstance().setValue(PORT, port == null ? -1 : port, -1);
    }

    /** A sentence when the text is no port; null when it is one, or empty. */
    static String wrongPort(String text) {
        if (text.isBlank()) {
            return null;
        }
        try {
            int port = Integer.parseInt(text.trim());
            return port < 0 || port > LAST_PORT ? "The port must be between 0 and " + LAST_PORT + "." : null;
        } catch (NumberFormatException e) {
            return "The port must be a number.";
        }
    }
}
