import { sum, type Line } from "./cart";

export function render(lines: Line[]): string {
  return `total: ${sum(lines)}`;
}
