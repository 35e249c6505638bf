import{a,b,c}from"./chunk-R5G3ERTV.js";import"./chunk-NZRK5T6X.js";import"./chunk-JVOYROWA.js";import"./chunk-GBY7HUHU.js";import"./chunk-REX6MET3.js";c();export{a as CalendarTabs,b as default};
