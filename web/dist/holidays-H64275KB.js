import{a,b,c}from"./chunk-MSIYE72G.js";import"./chunk-OCJPJEVE.js";import"./chunk-XEH5A7AJ.js";import"./chunk-DEDIQJEE.js";import"./chunk-46IXHASG.js";c();export{a as CalendarTabs,b as default};
