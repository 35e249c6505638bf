import{a,b,c}from"./chunk-GXWD3QUW.js";import"./chunk-7WZFKWZB.js";import"./chunk-FU2RYIH7.js";import"./chunk-DHUKS2GF.js";import"./chunk-N5A6VUJA.js";c();export{a as CalendarTabs,b as default};
