import{a,b,c}from"./chunk-MMRC2TRR.js";import"./chunk-AC4XJXHC.js";import"./chunk-MFZPLNCO.js";import"./chunk-IDM4FZDS.js";import"./chunk-VTR327EJ.js";c();export{a as CalendarTabs,b as default};
