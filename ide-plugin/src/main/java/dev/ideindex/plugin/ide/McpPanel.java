package dev.ideindex.plugin.ide;

import java.awt.BorderLayout;
import java.awt.Color;
import java.awt.Component;
import java.awt.Dimension;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.GridBagConstraints;
import java.awt.GridBagLayout;
import java.awt.Insets;
import java.awt.RenderingHints;
import java.util.List;
import java.util.Map;
import javax.swing.BorderFactory;
import javax.swing.Box;
import javax.swing.Icon;
import javax.swing.JButton;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JScrollPane;
import javax.swing.JTable;
import javax.swing.JTextField;
import javax.swing.SwingConstants;
import javax.swing.UIManager;
import javax.swing.table.DefaultTableCellRenderer;

/** The tool window where no browser component is: plain Swing, so that it looks like the IDE it is in. */
public final class McpPanel extends JPanel {
    private static final long serialVersionUID = 1L;

    /** What the buttons do. */
    public interface Commands {
        void copyUrl();

        void copyConfiguration();

        void openDashboard();

        void openSettings();

        void refresh();
    }

    private static final int GAP = 8;
    private static final int LIGHT = 10;
    private static final int[] COLUMNS = {80, 260, 80, 90};

    private final JLabel state = new JLabel();
    private final JTextField url = new JTextField();
    private final JLabel project = new JLabel();
    private final CallTable calls = new CallTable();
    private final JButton copy;
    private final JButton copyConfiguration;
    private final JButton dashboard;

    public McpPanel(Commands commands) {
        super(new BorderLayout(0, GAP));
        setBorder(BorderFactory.createEmptyBorder(GAP, GAP, GAP, GAP));
        copy = button("Copy", "Copy the server's address", commands::copyUrl);
        copyConfiguration = button("Copy Configuration", "Copy what MCP clients need", commands::copyConfiguration);
        dashboard = button("Open Dashboard", "Open the server's page in the browser", commands::openDashboard);
        url.setEditable(false);
        url.setColumns(24);
        add(head(commands), BorderLayout.NORTH);
        add(table(), BorderLayout.CENTER);
        show(ServerState.starting(), "");
    }

    private JPanel head(Commands commands) {
        JPanel head = new JPanel(new GridBagLayout());
        row(head, 0, "Server", state, null);
        row(head, 1, "Address", url, copy);
        row(head, 2, "Project", project, null);
        Box buttons = Box.createHorizontalBox();
        JButton refresh = button("Refresh", "Ask the server again", commands::refresh);
        JButton settings = button("Settings…", "Port and settings of the server", commands::openSettings);
        for (JButton one : new JButton[] {dashboard, copyConfiguration, refresh, settings}) {
            buttons.add(one);
            buttons.add(Box.createHorizontalStrut(GAP));
        }
        GridBagConstraints where = at(0, 3);
        where.gridwidth = 3;
        where.insets = new Insets(GAP / 2, 0, GAP / 4, 0);
        head.add(buttons, where);
        return head;
    }

    private static void row(JPanel head, int y, String name, Component value, Component button) {
        JLabel label = new JLabel(name + ":");
        label.setLabelFor(value);
        head.add(label, at(0, y));
        GridBagConstraints wide = at(1, y);
        wide.weightx = 1;
        wide.fill = GridBagConstraints.HORIZONTAL;
        head.add(value, wide);
        if (button != null) {
            head.add(button, at(2, y));
        }
    }

    private static GridBagConstraints at(int x, int y) {
        GridBagConstraints at = new GridBagConstraints();
        at.gridx = x;
        at.gridy = y;
        at.anchor = GridBagConstraints.LINE_START;
        at.insets = new Insets(GAP / 4, 0, GAP / 4, GAP);
        return at;
    }

    private JScrollPane table() {
        JTable table = new JTable(calls);
        table.setFillsViewportHeight(true);
        table.setShowGrid(false);
        table.setIntercellSpacing(new Dimension(0, 0));
        table.setRowHeight(table.getFontMetrics(table.getFont()).getHeight() + GAP);
        table.getTableHeader().setReorderingAllowed(false);
        if (table.getTableHeader().getDefaultRenderer() instanceof JLabel header) {
            header.setHorizontalAlignment(SwingConstants.LEADING);
        }
        table.getAccessibleContext().setAccessibleName("Last calls");
        for (int i = 0; i < COLUMNS.length; i++) {
            table.getColumnModel().getColumn(i).setPreferredWidth(COLUMNS[i]);
        }
        table.getColumnModel().getColumn(CallTable.STATUS).setCellRenderer(new StatusRenderer());
        return new JScrollPane(table);
    }

    private static JButton button(String text, String help, Runnable command) {
        JButton button = new JButton(text);
        button.setToolTipText(help);
        button.addActionListener(event -> command.run());
        return button;
    }

    /** Shows the state of the server and the project of this window. */
    void show(ServerState shown, String projectName) {
        state.setIcon(new Light(color(shown.light())));
        state.setText(shown.text());
        state.setToolTipText(shown.text());
        url.setText(shown.url() == null ? "" : shown.url());
        project.setText(projectName);
        boolean runs = shown.url() != null;
        copy.setEnabled(runs);
        copyConfiguration.setEnabled(runs);
        dashboard.setEnabled(runs);
    }

    /** Shows the calls as {@code history} tells them, the newest first. */
    void showCalls(List<?> history) {
        calls.show(history);
    }

    /** For rendering with made-up data. */
    public void show(String light, String text, String address, String projectName, List<Map<String, Object>> history) {
        show(new ServerState(light, text, address, null), projectName);
        showCalls(history);
    }

    /** Readable on light and dark backgrounds. */
    private static Color color(String word) {
        Color background = UIManager.getColor("Panel.background");
        boolean dark = background != null && background.getRed() + background.getGreen() + background.getBlue() < 384;
        return switch (word) {
            case "running", "success" -> dark ? new Color(0x6FBF73) : new Color(0x2E7D32);
            case "error" -> dark ? new Color(0xF28B82) : new Color(0xB3261E);
            case "starting", "pending" -> dark ? new Color(0xE6B450) : new Color(0x8A5A00);
            default -> Color.GRAY;
        };
    }

    /** A round light; its text stands beside it, so that nobody has to see the colour. */
    private record Light(Color color) implements Icon {
        @Override
        public void paintIcon(Component on, Graphics graphics, int x, int y) {
            Graphics2D drawn = (Graphics2D) graphics.create();
            drawn.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            drawn.setColor(color);
            drawn.fillOval(x, y, LIGHT, LIGHT);
            drawn.dispose();
        }

        @Override
        public int getIconWidth() {
            return LIGHT;
        }

        @Override
        public int getIconHeight() {
            return LIGHT;
        }
    }

    private static final class StatusRenderer extends DefaultTableCellRenderer {
        private static final long serialVersionUID = 1L;

        @Override
        public Component getTableCellRendererComponent(JTable table, Object value, boolean selected, boolean focused, int row,
                int column) {
            Component cell = super.getTableCellRendererComponent(table, value, selected, focused, row, column);
            cell.setForeground(selected ? table.getSelectionForeground() : color(String.valueOf(value)));
            return cell;
        }
    }
}
