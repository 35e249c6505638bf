import{a,b,c}from"./chunk-EXUNUL6W.js";import"./chunk-W2XKBACS.js";import"./chunk-AC4XJXHC.js";import"./chunk-IDM4FZDS.js";import"./chunk-VTR327EJ.js";c();export{a as AuditTabs,b as default};
