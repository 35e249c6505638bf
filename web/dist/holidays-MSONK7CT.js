import{a,b,c}from"./chunk-WJ2SOB6W.js";import"./chunk-IAHQ7O75.js";import"./chunk-PJJJFEPL.js";import"./chunk-76DUVBSG.js";import"./chunk-57WFRSBU.js";c();export{a as CalendarTabs,b as default};
