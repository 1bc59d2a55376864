package dev.ideindex.plugin.ide;

import com.intellij.openapi.options.Configurable;
import com.intellij.openapi.options.ConfigurationException;
import java.awt.BorderLayout;
import java.awt.FlowLayout;
import java.util.Map;
import java.util.Objects;
import javax.swing.BorderFactory;
import javax.swing.JComponent;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JScrollPane;
import javax.swing.JTable;
import javax.swing.JTextField;

/** {@code Settings | Tools | IDE Index MCP}: the port, and the settings that the running server knows. */
public final class SettingsPage implements Configurable {
    private static final int GAP = 8;
    private static final int PORT_COLUMNS = 8;

    private JTextField port;
    private JLabel note;
    private SettingsTable settings;

    @Override
    public String getDisplayName() {
        return "IDE Index MCP";
    }

    @Override
    public JComponent createComponent() {
        port = new JTextField(PORT_COLUMNS);
        note = new JLabel(" ");
        settings = new SettingsTable();
        JPanel top = new JPanel(new FlowLayout(FlowLayout.LEADING, GAP, 0));
        JLabel label = new JLabel("Port (empty: that of the server's settings):");
        label.setLabelFor(port);
        top.add(label);
        top.add(port);
        JTable table = new JTable(settings);
        table.setFillsViewportHeight(true);
        table.putClientProperty("terminateEditOnFocusLost", Boolean.TRUE);
        JPanel panel = new JPanel(new BorderLayout(0, GAP));
        panel.setBorder(BorderFactory.createEmptyBorder(GAP, 0, 0, 0));
        panel.add(top, BorderLayout.NORTH);
        panel.add(new JScrollPane(table), BorderLayout.CENTER);
        panel.add(note, BorderLayout.SOUTH);
        reset();
        return panel;
    }

    private static Integer number(String text) {
        return text.isBlank() ? null : Integer.valueOf(text.trim());
    }

    @Override
    public boolean isModified() {
        boolean portChanged = Preferences.wrongPort(port.getText()) != null
                || !Objects.equals(number(port.getText()), Preferences.port());
        return portChanged || !settings.changed().isEmpty();
    }

    @Override
    public void apply() throws ConfigurationException {
        String wrong = Preferences.wrongPort(port.getText());
        if (wrong != null) {
            throw new ConfigurationException(wrong);
        }
        for (Map.Entry<String, Object> change : settings.changed().entrySet()) {
            Background.ask(answer -> { }, note::setText, "op", "settings.set", "key", change.getKey(), "value", change.getValue());
        }
        settings.taken();
        if (!Objects.equals(number(port.getText()), Preferences.port())) {
            Preferences.setPort(number(port.getText()));
            NativeService.getInstance().restart();
        }
    }

    @Override
    public void reset() {
        port.setText(Preferences.port() == null ? "" : String.valueOf(Preferences.port()));
        SettingsTable shown = settings;
        JLabel below = note;
        Background.ask(answer -> {
            shown.show(answer.get("next") instanceof Map<?, ?> next ? next : Map.of());
            below.setText("Kept in " + answer.get("file") + "; some hold from the next start of the server on.");
        }, below::setText, "op", "settings");
    }

    @Override
    public void disposeUIResources() {
        port = null;
        note = null;
        settings = null;
    }
}
