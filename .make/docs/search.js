// The search box: names first, then summaries and texts that contain all words. INDEX has rows [title, address, text].
"use strict";
const box = document.querySelector(".search input"), list = document.querySelector(".search ol");
const top_folder = document.body.dataset.top;
let selected = -1;

function score(row, words, whole) {
    const title = row[0].toLowerCase(), text = row[2].toLowerCase();
    if (!words.every((word) => title.includes(word) || text.includes(word))) return 0;
    const last = title.slice(title.lastIndexOf(".") + 1).replace(/^%+/, "");
    let points = words.every((word) => title.includes(word)) ? 20 : 1;
    if (title === whole || last === whole.replace(/^%+/, "")) points += 100;
    else if (last.startsWith(whole)) points += 50;
    if (title.startsWith("numpy.")) points += 8; // of functions of one name, NumPy's come first
    if (!row[1].startsWith("reference/")) points += 4;
    return points - title.length / 100;
}

function excerpt(text, words) {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 50);
    return (at ? "… " : "") + text.slice(at, at + 160);
}

function select(k) {
    const rows = [...list.querySelectorAll("li:not(.none)")];
    if (!rows.length) return;
    selected = (k + rows.length) % rows.length;
    rows.forEach((row, i) => row.setAttribute("aria-selected", i === selected));
    rows[selected].scrollIntoView({ block: "nearest" });
}

function show() {
    const whole = box.value.trim().toLowerCase(), words = whole.split(/\s+/);
    list.replaceChildren();
    list.hidden = !whole;
    if (!whole) return;
    const rows = INDEX.map((row) => [score(row, words, whole), row]).filter((pair) => pair[0] > 0);
    rows.sort((a, b) => b[0] - a[0]);
    for (const [, row] of rows.slice(0, 25)) {
        const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
        link.href = top_folder + row[1];
        link.textContent = row[0];
        small.textContent = excerpt(row[2], words);
        link.append(small);
        item.append(link);
        list.append(item);
    }
    if (!rows.length) {
        const item = document.createElement("li");
        item.className = "none";
        item.textContent = "Nothing found";
        list.append(item);
    }
    select(0);
}

box.addEventListener("input", show);
box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
        event.preventDefault();
        select(selected + step);
    } else if (event.key === "Enter") {
        const link = list.querySelector("[aria-selected=true] a");
        if (link) location.href = link.href;
        list.hidden = true;
    } else if (event.key === "Escape") {
        box.value = "";
        show();
        box.blur();
    }
});
document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) {
        event.preventDefault();
        box.focus();
    }
});
document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) list.hidden = true;
});
if (matchMedia("(max-width: 56rem)").matches) document.querySelector("nav details").open = false;
