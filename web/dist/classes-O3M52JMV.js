import{a,b,c}from"./chunk-VVTY66PT.js";import"./chunk-PJJJFEPL.js";import"./chunk-GV3II5XO.js";import"./chunk-57WFRSBU.js";c();export{a as ClassTabs,b as default};
