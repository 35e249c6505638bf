import{a,b,c}from"./chunk-6V6ZMR63.js";import"./chunk-NH7QUF4A.js";import"./chunk-TP5P545G.js";import"./chunk-W37AMWEK.js";import"./chunk-NWDS5W7U.js";c();export{a as CalendarTabs,b as default};
