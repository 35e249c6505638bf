import{a,b,c}from"./chunk-ISVZDWVA.js";import"./chunk-NZMC7PRU.js";import"./chunk-6U6WEKHX.js";import"./chunk-HGK7LQO3.js";import"./chunk-DKZEZLDA.js";c();export{a as CalendarTabs,b as default};
