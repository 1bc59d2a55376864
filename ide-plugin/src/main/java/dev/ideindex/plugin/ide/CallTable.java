package dev.ideindex.plugin.ide;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import javax.swing.table.AbstractTableModel;

/** The last calls as rows: time, tool, duration, status. */
final class CallTable extends AbstractTableModel {
    private static final long serialVersionUID = 1L;

    static final int STATUS = 3;
    private static final String[] NAMES = {"Time", "Tool", "Took", "Status"};
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");

    private transient List<?> calls = List.of();

    void show(List<?> history) {
        calls = history;
        fireTableDataChanged();
    }

    @Override
    public int getRowCount() {
        return calls.size();
    }

    @Override
    public int getColumnCount() {
        return NAMES.length;
    }

    @Override
    public String getColumnName(int column) {
        return NAMES[column];
    }

    @Override
    public Object getValueAt(int row, int column) {
        Map<?, ?> call = (Map<?, ?>) calls.get(row);
        return switch (column) {
            case 0 -> clock(String.valueOf(call.get("startedAt")));
            case 1 -> call.get("tool");
            case 2 -> call.get("durationMs") == null ? "" : call.get("durationMs") + " ms";
            default -> call.get("status");
        };
    }

    private static String clock(String started) {
        try {
            return CLOCK.format(Instant.parse(started).atZone(ZoneId.systemDefault()));
        } catch (DateTimeException e) {
            return started;
        }
    }
}
