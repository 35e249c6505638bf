import{a,b,c}from"./chunk-KA4DAKDL.js";import"./chunk-M7IY7AXE.js";import"./chunk-7JZ6EZMT.js";import"./chunk-QHEBYUJ3.js";import"./chunk-RZXHXUZY.js";c();export{a as CalendarTabs,b as default};
